package confine_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
	"confine/policy"
)

// scene is what an escape is tried in: a workspace with something to protect,
// a tree outside, and a host that could be reached.
type scene struct {
	dir, ws, out string
	host         *hostTargets
}

// hostTargets are the processes and endpoints outside that must stay out of reach.
type hostTargets struct {
	victim   int    // pid of a process of the same user
	socket   string // of a service like Docker's
	abstract string
	tcp, udp string
	shm      int // key of a System V segment
}

func newScene(t *testing.T, host *hostTargets) *scene {
	dir := confinetest.Dir(t)
	s := &scene{dir: dir, ws: dir + "/ws", out: dir + "/out", host: host}
	confinetest.WriteTree(t, dir, map[string]string{
		"ws/file": "text\n", "ws/sub/file": "text\n", "ws/sub/.git/config": "[core]\n", "ws/.git/config": "[core]\n",
		"ws/.git/hooks/sample": "#!/bin/sh\n", "ws/secret/key": "SECRET\n", "ws/token": "SECRET\n", "ws/cache/": "", "ws/store/": "",
		"out/file": "outside\n", "out/dir/": "",
	})
	return s
}

// defaults is the policy that most escapes are tried under.
func (s *scene) defaults() policy.Defaults {
	return policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: s.ws, Entries: []policy.Entry{
		{Path: s.ws + "/secret", Access: policy.Deny}, {Path: s.ws + "/token", Access: policy.Deny},
		{Path: s.ws + "/sub/.git", Access: policy.Read},
		{Path: s.ws + "/absent/deep", Access: policy.Deny, Optional: true},
		{Path: s.ws + "/store/absent", Access: policy.Read, Optional: true},
	}}
}

// fill replaces the placeholders of the tables.
func (s *scene) fill(args []string) []string {
	filled := make([]string, len(args))
	for i, a := range args {
		filled[i] = strings.NewReplacer("{ws}", s.ws, "{out}", s.out, "{victim}", fmt.Sprint(s.host.victim), "{socket}", s.host.socket,
			"{abstract}", s.host.abstract, "{tcp}", s.host.tcp, "{udp}", s.host.udp, "{shm}", fmt.Sprint(s.host.shm)).Replace(a)
	}
	return filled
}

// openHost starts what must stay out of reach.
func openHost(t *testing.T) *hostTargets {
	t.Helper()
	h := &hostTargets{}
	victim := exec.Command("sleep", "1000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Kill(victim.Process.Pid, 0); err != nil {
			t.Errorf("the process outside is gone: %v", err)
		}
		_ = victim.Process.Kill()
		_ = victim.Wait()
	})
	h.victim = victim.Process.Pid

	h.socket = confinetest.Dir(t) + "/service.sock"
	h.abstract = fmt.Sprintf("@confinetest-%d", os.Getpid())
	for _, address := range []string{h.socket, h.abstract} {
		serve(t, "unix", address)
	}
	h.tcp = serve(t, "tcp", "127.0.0.1:0")
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	h.udp = udp.LocalAddr().String()

	h.shm = os.Getpid()
	id, err := unix.SysvShmGet(h.shm, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatalf("make a shared memory segment: %v", err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	return h
}

// serve accepts and drops connections.
func serve(t *testing.T, network, address string) string {
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return l.Addr().String()
}
