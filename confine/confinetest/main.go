package confinetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// User is the ordinary user as whom Main repeats the suite.
const User = "confine-test"

// Main runs the tests, and as root runs them once more as User. In a process
// started to perform an act it does only that. It returns the exit code.
func Main(m *testing.M, acts map[string]Act) int {
	if os.Getenv(actEnv) != "" && len(os.Args) > 1 {
		return perform(acts, os.Args[1:])
	}
	code := m.Run()
	defer removeBuilt()
	if os.Geteuid() != 0 || !wantsTests(os.Args[1:]) {
		return code
	}
	again, err := asOrdinaryUser(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "repeat the tests as an ordinary user:", err)
		return 1
	}
	return max(code, again)
}

// wantsTests is false where the binary was asked for something that needs no
// second run.
func wantsTests(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-test.list") || strings.HasPrefix(a, "-test.fuzz=") || strings.HasPrefix(a, "-test.fuzzworker") ||
			strings.HasPrefix(a, "-test.run=^$")
	})
}

// asOrdinaryUser copies this binary and the package's testdata to the user's
// home, which he can reach wherever the checkout lies, and runs it there.
func asOrdinaryUser(args []string) (code int, err error) {
	u, err := ordinaryUser()
	if err != nil {
		return 1, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	dir, err := os.MkdirTemp(u.HomeDir, "suite-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "confine.test")
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	copies := [][]string{{"cp", self, exe}}
	env := userEnv(u)
	if bin := os.Getenv(binEnv); bin != "" {
		copies = append(copies, []string{"cp", bin, dir + "/confine"})
		env = append(env, binEnv+"="+dir+"/confine")
	}
	for _, step := range append(copies, []string{"chown", "-R", u.Uid + ":" + u.Gid, dir}) {
		if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
			return 1, fmt.Errorf("%s: %w: %s", step, err, out)
		}
	}
	if _, err := os.Stat("testdata"); err == nil {
		if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
			return 1, err
		}
	}
	cmd := exec.Command(exe, slices.DeleteFunc(slices.Clone(args), writesFiles)...)
	cmd.Dir = dir
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	fmt.Printf("=== again as the ordinary user %s (uid %d)\n", u.Username, uid)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// writesFiles tells flags whose files belong to the first run.
func writesFiles(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{"-test.testlogfile", "-test.coverprofile", "-test.gocoverdir", "-test.outputdir",
		"-test.cpuprofile", "-test.memprofile", "-test.trace"}, name)
}

func userEnv(u *user.User) []string {
	env := []string{"HOME=" + u.HomeDir, "USER=" + u.Username, "LOGNAME=" + u.Username, "SHELL=/bin/sh", "LANG=C.UTF-8",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "CONFINE_") && !strings.HasPrefix(kv, binEnv) || strings.HasPrefix(kv, "TERM=") {
			env = append(env, kv)
		}
	}
	return env
}

// ordinaryUser finds the user, or creates it.
func ordinaryUser() (*user.User, error) {
	if u, err := user.Lookup(User); err == nil {
		return u, nil
	}
	if out, err := exec.Command("useradd", "--create-home", "--shell", "/bin/sh", User).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("create user %s: %w: %s", User, err, out)
	}
	return user.Lookup(User)
}
