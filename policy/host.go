package policy

import "time"

// Host is what resolution needs to know of the machine, gathered by the caller.
// Empty fields are facts too: no home folder, no sockets.
type Host struct {
	Home        string              // the user's home folder
	RuntimeDir  string              // $XDG_RUNTIME_DIR
	SSHAuthSock string              // $SSH_AUTH_SOCK
	Cwd         string              // the current folder, absolute and free of links
	Env         func(string) string // variables for ${VAR} in policy files; nil means none is set
	Sockets     []string            // pathname sockets bound on the host, absolute
	Now         time.Time           // judges when approvals expire; an approval that can expire needs it
}

// FS answers questions about the host's tree. No method follows a link in the
// last component or triggers an automount. A missing path is reported as
// fs.ErrNotExist and one that may not be looked at as fs.ErrPermission, both
// for errors.Is.
type FS interface {
	Lstat(path string) (Info, error)
	Readlink(path string) (string, error)
	// ReadFile reads a regular file of at most max bytes; a larger one is an error.
	ReadFile(path string, max int64) ([]byte, error)
	// ReadDir returns the names in a folder, in any order, without "." and "..".
	ReadDir(path string) ([]string, error)
}

// Info is what an FS knows about a path.
type Info struct{ Kind Kind }
