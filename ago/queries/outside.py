"""What calls of the standard library reach outside of the process, as one table.

Invariant: a name is what a call names first: the function, or the type of the method. What a
package has no row for touches nothing outside by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

_REST = "*"
_NONE = ""

# package -> effect -> names; `*` are the names that no other effect of the package lists.
_TABLE: Mapping[str, Mapping[str, str]] = {
    "archive/zip": {"files": "OpenReader ReadCloser"},
    "crypto/tls": {
        "network": "Dial DialWithDialer Dialer Listen NewListener Conn",
        "files": "LoadX509KeyPair",
    },
    "database/sql": {"network": "DB Tx Conn Stmt Rows Row"},
    "debug/buildinfo": {"files": "ReadFile"},
    "debug/elf": {"files": "Open"},
    "debug/macho": {"files": "Open OpenFat"},
    "debug/pe": {"files": "Open"},
    "go/build": {"exec": "Import ImportDir Context"},
    "go/importer": {"exec": "Default For ForCompiler"},
    "go/parser": {"files": "ParseFile ParseDir"},
    "html/template": {"files": "ParseFiles ParseGlob"},
    "io/ioutil": {"files": "ReadDir ReadFile TempDir TempFile WriteFile"},
    "log/syslog": {"network": _REST},
    "mime": {"files": "TypeByExtension ExtensionsByType"},
    "net": {
        "network": _REST,
        _NONE: "AddrError Addr CIDRMask DNSError DNSConfigError Error Flags HardwareAddr IP IPAddr"
        " IPMask IPNet IPv4 IPv4Mask InvalidAddrError JoinHostPort OpError ParseCIDR ParseError"
        " ParseIP ParseMAC Pipe SplitHostPort TCPAddr TCPAddrFromAddrPort UDPAddr"
        " UDPAddrFromAddrPort UnixAddr UnknownNetworkError",
    },
    "net/http": {
        "network": "Client Conn Error Flusher Get Head Hijacker ListenAndServe ListenAndServeTLS"
        " NotFound Post PostForm Redirect ResponseController ResponseWriter RoundTripper Serve"
        " ServeContent ServeTLS Server Transport",
        "files": "Dir File FileServer FileSystem ServeFile ServeFileFS",
    },
    "net/http/httptest": {"network": "NewServer NewTLSServer NewUnstartedServer Server"},
    "net/http/httputil": {"network": "ClientConn ReverseProxy ServerConn"},
    "net/rpc": {"network": _REST},
    "net/rpc/jsonrpc": {"network": _REST},
    "net/smtp": {"network": _REST, _NONE: "CRAMMD5Auth PlainAuth"},
    "net/textproto": {"network": "Dial Conn"},
    "os": {
        "files": _REST,
        "exec": "FindProcess Process StartProcess",
        _NONE: "Clearenv DirEntry Environ ErrProcessDone Executable Exit Expand ExpandEnv FileInfo"
        " FileMode Getegid Getenv Geteuid Getgid Getgroups Getpagesize Getpid Getppid Getuid"
        " Hostname IsExist IsNotExist IsPathSeparator IsPermission IsTimeout LinkError LookupEnv"
        " NewSyscallError PathError ProcessState SameFile Setenv Signal SyscallError TempDir"
        " Unsetenv UserCacheDir UserConfigDir UserHomeDir",
    },
    "os/exec": {"exec": _REST, _NONE: "Error ExitError"},
    "os/user": {"files": _REST, _NONE: "UnknownGroupError UnknownUserError UnknownUserIdError"},
    "path/filepath": {"files": "EvalSymlinks Glob Walk WalkDir"},
    "plugin": {"exec": _REST},
    "runtime/debug": {"files": "WriteHeapDump SetCrashOutput"},
    "syscall": {
        "exec": "Exec ForkExec Kill StartProcess Wait4",
        "network": "Accept Accept4 Bind Connect Getpeername Getsockname GetsockoptInt Listen"
        " Recvfrom Recvmsg Sendmsg SendmsgN Sendto SetsockoptInt Shutdown Socket Socketpair",
        "files": "Chdir Chmod Chown Close Creat Dup Dup2 Fchdir Fchmod Fchown Flock Fstat Fsync"
        " Ftruncate Getdents Lchown Link Lstat Mkdir Mkfifo Mknod Mmap Mount Open Openat Pread"
        " Pwrite Read ReadDirent Readlink Rename Rmdir Seek Stat Statfs Symlink Sync Truncate"
        " Unlink Unmount Utimes UtimesNano Write",
    },
    "testing/fstest": {"files": "TestFS"},
    "text/template": {"files": "ParseFiles ParseGlob"},
}  # fmt: skip


def effect_of(pkg: str, sym: str) -> str:
    """`files`, `network` or `exec`: what a call of a function or method of std reaches; "" for
    nothing outside."""
    row = _TABLE.get(pkg)
    if row is None:
        return _NONE
    name = sym.partition(".")[0]
    listed = next((effect for effect, names in row.items() if name in names.split()), None)
    if listed is not None:
        return listed
    return next((effect for effect, names in row.items() if names == _REST), _NONE)
