package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testHost is an ordinary machine: a user with a repository.
func testHost() (Host, *MemFS) {
	f := NewMemFS("/usr/bin", "/usr/lib", "/proc/sys", "/sys/firmware", "/tmp", "/var/tmp", "/dev/shm", "/run/systemd/resolve",
		"/home/u/.ssh", "/home/u/repo/.git/hooks", "/home/u/repo/src", "/home/u/data", "/etc/ssl").
		Symlink("/bin", "usr/bin").Symlink("/lib", "usr/lib").Symlink("/var/run", "/run").
		File("/run/systemd/resolve/stub-resolv.conf", "").Symlink("/etc/resolv.conf", "../run/systemd/resolve/stub-resolv.conf").
		File("/etc/passwd", "").File("/home/u/.netrc", "").
		Node("/dev/null", KindDevice).Node("/run/docker.sock", KindSocket).Node("/srv/app.sock", KindSocket)
	return Host{Home: "/home/u", Cwd: "/home/u/repo", Sockets: []string{"/run/docker.sock", "/srv/app.sock"}}, f
}

// list prints layers one a line, without the system folders.
func list(l Layers) string {
	var b strings.Builder
	for _, layer := range l.All() {
		if Contains("/proc", layer.Path) || Contains("/dev", layer.Path) && layer.Path != "/dev/shm" || Contains("/sys", layer.Path) {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s", layer.Access, layer.Origin, layer.Path)
		if layer.Private {
			b.WriteString(" private")
		}
		if layer.Absent {
			b.WriteString(" absent")
		}
		if layer.Symlink {
			b.WriteString(" symlink")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func resolve(t *testing.T, req Request, d Defaults) Policy {
	t.Helper()
	h, f := testHost()
	p, err := Resolve(req, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLayersOfTheDefaults(t *testing.T) {
	want := `read baseline /
deny hardening /run
deny hardening /srv/app.sock
deny hardening /home/u/.netrc
deny hardening /home/u/.ssh
read hardening /run/systemd/resolve/stub-resolv.conf
`
	if diff := cmp.Diff(want, list(GrantLayers(resolve(t, Request{}, Defaults{})))); diff != "" {
		t.Error(diff)
	}
}
