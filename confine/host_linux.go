package confine

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Host gathers the facts that resolving a policy needs: the user's home, the
// current folder without links, session sockets, and every pathname socket
// bound in this network namespace (/proc/net/unix, unix(7)).
func Host() (policy.Host, error) {
	h := policy.Host{RuntimeDir: absoluteEnv("XDG_RUNTIME_DIR"), SSHAuthSock: absoluteEnv("SSH_AUTH_SOCK"), Env: os.Getenv, Now: time.Now()}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Getcwd(buf)
	if err != nil {
		return h, fmt.Errorf("find the current folder: %w", err)
	}
	h.Cwd = string(bytes.TrimRight(buf[:n], "\x00"))
	if !strings.HasPrefix(h.Cwd, "/") {
		return h, fmt.Errorf("find the current folder: it lies outside the root (%s)", h.Cwd)
	}
	if h.Home = absoluteEnv("HOME"); h.Home == "" {
		if u, err := user.Current(); err == nil && strings.HasPrefix(u.HomeDir, "/") {
			h.Home = u.HomeDir
		}
	}
	if h.Home == "/" || h.Home == "/nonexistent" {
		h.Home = ""
	}
	h.Sockets, err = boundSockets()
	return h, err
}

// FS returns the host's tree for policy.Resolve.
func FS() policy.FS { return hostFS{} }

func absoluteEnv(name string) string {
	if v := os.Getenv(name); strings.HasPrefix(v, "/") {
		return v
	}
	return ""
}

// boundSockets lists the pathnames of bound unix sockets. A read-only mount
// does not stop connect(2), so each of them that is visible has to be hidden.
func boundSockets() ([]string, error) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, fmt.Errorf("list bound unix sockets: %w", err)
	}
	var paths []string
	for _, line := range bytes.Split(table, []byte{'\n'}) {
		// Num RefCount Protocol Flags Type St Inode Path; the path may hold spaces
		if i := bytes.IndexByte(line, '/'); i >= 0 && !bytes.ContainsRune(line[:i], '@') {
			paths = append(paths, string(line[i:]))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
