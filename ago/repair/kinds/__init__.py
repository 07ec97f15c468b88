"""One module for each kind of repair: the reasons it mends, and how."""
