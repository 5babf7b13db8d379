package confine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
)

// What the oracle's process reports: the errno of every operation at every path.

type oracleTask struct {
	Paths  [][]byte // absolute, parents before children
	Kinds  []string // "dir", "file", "link"
	Moves  [][2]int // paths to try to rename and link into other folders
	Remove bool     // in the end
}

type oracleAnswer struct {
	Path  int
	Op    string
	Other int // of moves: the folder
	Errno unix.Errno
}

var oracleActs = map[string]confinetest.Act{"oracle": oracleAct}

const planted = "confinetest new" // a name that no tree has

func oracleAct([]string) (string, error) {
	var task oracleTask
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		return "", err
	}
	o := &prober{}
	for i, b := range task.Paths {
		path := string(b)
		switch task.Kinds[i] {
		case "dir":
			o.folder(i, path)
		case "file":
			o.file(i, path)
		case "link":
			o.link(i, path)
		}
		o.object(i, path, task.Kinds[i])
	}
	for _, m := range task.Moves {
		o.move(m[0], m[1], string(task.Paths[m[0]]), string(task.Paths[m[1]]), task.Kinds[m[0]])
	}
	if task.Remove {
		for i := range slices.Backward(task.Paths) {
			flags := 0
			if task.Kinds[i] == "dir" {
				flags = unix.AT_REMOVEDIR
			}
			o.note(i, "remove", unix.Unlinkat(unix.AT_FDCWD, string(task.Paths[i]), flags))
		}
	}
	var buf bytes.Buffer
	err := json.NewEncoder(&buf).Encode(o.answers)
	return buf.String(), errors.Join(append(o.broken, err)...)
}

type prober struct {
	answers []oracleAnswer
	broken  []error // what could not be undone
}

func (o *prober) note(i int, op string, err error) bool {
	return o.note2(i, op, -1, err)
}

func (o *prober) note2(i int, op string, other int, err error) bool {
	var errno unix.Errno
	if err != nil && !errors.As(err, &errno) {
		o.broken = append(o.broken, err)
	}
	o.answers = append(o.answers, oracleAnswer{i, op, other, errno})
	return err == nil
}

func (o *prober) undo(what string, err error) {
	if err != nil {
		o.broken = append(o.broken, errors.Join(errors.New(what), err))
	}
}

func (o *prober) open(i int, op, path string, flags int) {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o666)
	if o.note(i, op, err) {
		unix.Close(fd)
	}
}

// object tries what any object allows: metadata, and another name for it.
func (o *prober) object(i int, path, kind string) {
	var st unix.Stat_t
	if !o.note(i, "lstat", unix.Lstat(path, &st)) {
		st.Mode = 0o777
	}
	now := []unix.Timespec{unix.NsecToTimespec(time.Now().UnixNano()), unix.NsecToTimespec(time.Now().UnixNano())}
	o.note(i, "utimes", unix.UtimesNanoAt(unix.AT_FDCWD, "/../.."+path, now, unix.AT_SYMLINK_NOFOLLOW))
	o.note(i, "utimes", unix.UtimesNanoAt(unix.AT_FDCWD, path, now, unix.AT_SYMLINK_NOFOLLOW))
	o.note(i, "chown", unix.Fchownat(unix.AT_FDCWD, path, os.Geteuid(), -1, unix.AT_SYMLINK_NOFOLLOW))
	if kind != "link" {
		o.note(i, "chmod", unix.Chmod(path, st.Mode&0o7777))
		if o.note(i, "setxattr", unix.Setxattr(path, "user.confinetest", []byte("x"), 0)) {
			o.undo("removexattr", unix.Removexattr(path, "user.confinetest"))
		}
	}
	aside := path + " aside"
	if o.note(i, "rename", unix.Rename(path, aside)) {
		o.undo("rename back", unix.Rename(aside, path))
	}
	if kind != "dir" {
		if o.note(i, "link", unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, aside, 0)) {
			o.undo("unlink", unix.Unlink(aside))
		}
	}
}

func (o *prober) file(i int, path string) {
	o.open(i, "read", path, unix.O_RDONLY)
	// the same file over detours that would fool a comparison of strings
	o.open(i, "read", "/proc/self/root"+path, unix.O_RDONLY)
	o.open(i, "read", "/.."+path, unix.O_RDONLY)
	o.open(i, "read", parentDir(path)+"/./"+path[strings.LastIndex(path, "/")+1:], unix.O_RDONLY)
	o.open(i, "write", path, unix.O_WRONLY)
	o.open(i, "write", path, unix.O_RDWR|unix.O_APPEND)
	o.open(i, "write", "/proc/thread-self/root"+path, unix.O_WRONLY)
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		st.Size = 4
	}
	o.note(i, "truncate", unix.Truncate(path, st.Size))
}

func (o *prober) link(i int, path string) {
	_, err := unix.Readlink(path, make([]byte, 4096))
	o.note(i, "readlink", err)
	o.open(i, "read through", path, unix.O_RDONLY)
}

func (o *prober) folder(i int, path string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if o.note(i, "read", err) {
		_, err = unix.Getdents(fd, make([]byte, 4096))
		o.note(i, "readdir", err)
		unix.Close(fd)
	} else {
		o.note(i, "readdir", err)
	}
	name := path + "/" + planted
	remove := func(flags int) { o.undo("remove", unix.Unlinkat(unix.AT_FDCWD, name, flags)) }
	fd, err = unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o666)
	if o.note(i, "create", err) {
		unix.Close(fd)
		remove(0)
	}
	if o.note(i, "create", unix.Mkdir(name, 0o777)) {
		remove(unix.AT_REMOVEDIR)
	}
	if o.note(i, "create", unix.Symlink("/", name)) {
		remove(0)
	}
	if o.note(i, "create", unix.Mkfifo(name, 0o666)) {
		remove(0)
	}
	fd, err = unix.Open(path, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
	if o.note(i, "create", err) {
		unix.Close(fd)
	}
	// by descriptor instead of by path
	fd, err = unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		var at int
		at, err = unix.Openat(fd, planted, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o666)
		if err == nil {
			unix.Close(at)
			remove(0)
		}
		unix.Close(fd)
	}
	o.note(i, "create", err)
}

// move tries to bring an object into another folder and back.
func (o *prober) move(i, other int, path, dir, kind string) {
	name := dir + "/" + planted
	if o.note2(i, "move", other, unix.Rename(path, name)) {
		o.undo("move back", unix.Rename(name, path))
	}
	if kind != "dir" {
		if o.note2(i, "link into", other, unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, name, 0)) {
			o.undo("unlink", unix.Unlink(name))
		}
	}
}
