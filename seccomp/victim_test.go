//go:build linux

package seccomp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A victim is this test binary in another process, which loads a program and then makes calls or
// executes a command. The test's own process never has a filter.
const victimVariable = "CONFINE_SECCOMP_VICTIM"

type victim struct {
	Filter []byte    // none: no filter
	Calls  []rawCall // make these calls, answer their errnos
	Exec   []string  // or execute this
	uid    *int      // as this user
	dir    string    // in this folder
}

type rawCall struct {
	Number uintptr
	Args   [6]uintptr
}

func TestMain(m *testing.M) {
	switch os.Getenv(victimVariable) {
	case "":
		os.Exit(m.Run())
	case "calls":
		if err := beVictim(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "victim:", err)
			os.Exit(125)
		}
	case "threads":
		if err := useThreadsAndSockets(); err != nil {
			fmt.Fprintln(os.Stderr, "victim:", err)
			os.Exit(1)
		}
		fmt.Println("done")
	}
}

func beVictim(in io.Reader, out io.Writer) error {
	var v victim
	if err := json.NewDecoder(in).Decode(&v); err != nil {
		return err
	}
	runtime.LockOSThread()
	if len(v.Filter) > 0 {
		if err := loadFilter(v.Filter); err != nil {
			return err
		}
	}
	if len(v.Exec) > 0 {
		path, err := exec.LookPath(v.Exec[0])
		if err != nil {
			return err
		}
		if err := os.Setenv(victimVariable, "threads"); err != nil { // for this binary, should it be v.Exec
			return err
		}
		return os.NewSyscallError("execve", syscall.Exec(path, v.Exec, os.Environ()))
	}
	errnos := make([]syscall.Errno, len(v.Calls))
	for i, c := range v.Calls {
		_, _, errnos[i] = unix.RawSyscall6(c.Number, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5])
	}
	return json.NewEncoder(out).Encode(errnos)
}

func loadFilter(prog []byte) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	fprog := unix.SockFprog{Len: uint16(len(prog) / instructionSize), Filter: (*unix.SockFilter)(unsafe.Pointer(&prog[0]))}
	_, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(prog)
	if e != 0 {
		return os.NewSyscallError("seccomp", e)
	}
	return nil
}

// useThreadsAndSockets makes the Go runtime start threads, and listens and dials on the loopback.
func useThreadsAndSockets() error {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			runtime.LockOSThread()
			unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
		})
	}
	wg.Wait()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	c.Close()
	_, err = net.Interfaces()
	return err
}

// run starts the victim and returns its output; the error has what it wrote to stderr.
func (v victim) run(t *testing.T) (string, error) {
	t.Helper()
	spec, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), victimVariable+"=calls")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(spec), &stdout, &stderr
	cmd.Dir = v.dir
	if v.uid != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(*v.uid), Gid: uint32(*v.uid)}}
	}
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()+" "+stdout.String()))
	}
	return stdout.String(), nil
}

func (v victim) errnos(t *testing.T) []syscall.Errno {
	t.Helper()
	out, err := v.run(t)
	if err != nil {
		t.Fatal(err)
	}
	var errnos []syscall.Errno
	if err := json.Unmarshal([]byte(out), &errnos); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	return errnos
}

// users are those to run victims as: the one who tests, and an ordinary one too if that is root.
func users() map[string]*int {
	if os.Getuid() != 0 {
		return map[string]*int{"user": nil}
	}
	nobody := 65534
	return map[string]*int{"root": nil, "nobody": &nobody}
}
