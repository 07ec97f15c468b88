"""`python -m ago.dev`: the tooling without the rest of the command line."""

from ago.dev.command import dev

if __name__ == "__main__":
    dev(prog_name="ago dev")
