package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"confine/classify"
	"confine/policy"
)

// maxAside bounds how often one path is moved aside during a run. A command
// that plants it again and again is killed.
const maxAside = 8

// A run begins with polling and turns to inotify when it has lasted
// inotifyAfter: giving an inotify instance back waits for the kernel's next SRCU
// grace period (10 to 20 ms), which a shorter run would notice. Polling goes on
// where the host is out of watches; it never takes more than a hundredth of the
// time.
const (
	pollEvery    = 20 * time.Millisecond
	inotifyAfter = 2 * time.Second
)

// watcher keeps carve-outs free that did not exist when the run began. Nothing
// can be mounted there, and no placeholder is made in the user's tree; what the
// command creates there is renamed aside in place, through the folder's
// descriptor. The sweep after the death of the tree is what holds; the watch
// only makes the time short in which a host process could come across it.
type watcher struct {
	mu      sync.Mutex
	inotify *os.File         // nil while polling
	folders map[int]*watched // by watch descriptor
	items   []*absentItem
	runID   string
	moved   []classify.Record
	poll    *time.Timer
	start   time.Time
	ended   bool
	killed  chan struct{} // closed when a path was planted too often
	over    bool
}

// watched is a folder in which one of the names may not appear.
type watched struct {
	dir   *os.File
	items map[string][]*absentItem // by the next name on their way
}

type absentItem struct {
	layer policy.Layer
	base  *os.File // the nearest folder that existed at the start
	rel   string   // from base to the path
	count int
}

// newWatcher returns nil when there is nothing to watch.
func newWatcher(absent []policy.Layer, runID string) (*watcher, error) {
	if len(absent) == 0 {
		return nil, nil
	}
	w := &watcher{folders: map[int]*watched{}, runID: runID, killed: make(chan struct{})}
	bases := map[string]*os.File{}
	for _, l := range absent {
		if err := w.add(l, bases); err != nil {
			w.close()
			return nil, err
		}
	}
	w.mu.Lock() // live may come before poll is assigned
	defer w.mu.Unlock()
	w.start = time.Now()
	w.poll = time.AfterFunc(pollEvery, w.live)
	return w, nil
}

// live looks at every path, and either begins to watch or comes again.
func (w *watcher) live() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || w.inotify != nil {
		return
	}
	now := time.Now()
	if now.Sub(w.start) >= inotifyAfter && w.instance() == nil {
		go w.loop(w.inotify)
	}
	w.checkAll()
	if w.inotify == nil {
		w.poll.Reset(max(pollEvery, 100*time.Since(now)))
	}
}

// instance opens an inotify instance and watches the base of every path.
func (w *watcher) instance() error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	w.inotify = os.NewFile(uintptr(fd), "inotify")
	for _, item := range w.items {
		if err := w.watch(item.base, item, item.rel); err != nil {
			w.inotify.Close()
			w.inotify = nil
			return err
		}
	}
	return nil
}

func (w *watcher) add(l policy.Layer, bases map[string]*os.File) error {
	for dir := parentOf(l.Path); ; dir = parentOf(dir) {
		base, ok := bases[dir]
		if !ok {
			fd, err := openat2(unix.AT_FDCWD, dir, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
			if errors.Is(err, unix.ENOENT) && dir != "/" {
				continue
			}
			if err != nil {
				return &LaunchError{Stage: "watch absent paths", Path: dir, Err: err}
			}
			base = os.NewFile(uintptr(fd), dir)
			bases[dir] = base
		}
		w.items = append(w.items, &absentItem{layer: l, base: base, rel: strings.TrimPrefix(strings.TrimPrefix(l.Path, dir), "/")})
		return nil
	}
}

// watch looks for the first name of rest in dir.
func (w *watcher) watch(dir *os.File, item *absentItem, rest string) error {
	wd, err := unix.InotifyAddWatch(int(w.inotify.Fd()), fmt.Sprintf("/proc/self/fd/%d", dir.Fd()),
		unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR)
	if err != nil {
		return err
	}
	f := w.folders[wd]
	if f == nil {
		f = &watched{dir: dir, items: map[string][]*absentItem{}}
		w.folders[wd] = f
	}
	name, _, _ := strings.Cut(rest, "/")
	for _, known := range f.items[name] {
		if known == item {
			return nil
		}
	}
	f.items[name] = append(f.items[name], item)
	return nil
}

// loop ends when the inotify descriptor is closed.
func (w *watcher) loop(inotify *os.File) {
	buf := make([]byte, 16<<10)
	for {
		n, err := inotify.Read(buf)
		if err != nil {
			return
		}
		w.mu.Lock()
		for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			wd := int(int32(binary.NativeEndian.Uint32(b)))
			mask, size := binary.NativeEndian.Uint32(b[4:]), int(binary.NativeEndian.Uint32(b[12:]))
			name := strings.TrimRight(string(b[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size]), "\x00")
			b = b[unix.SizeofInotifyEvent+size:]
			if mask&unix.IN_Q_OVERFLOW != 0 {
				w.checkAll()
			} else if f := w.folders[wd]; f != nil {
				for _, item := range f.items[name] {
					w.check(item, true)
				}
			}
		}
		w.mu.Unlock()
	}
}

func (w *watcher) checkAll() {
	for _, item := range w.items {
		w.check(item, true)
	}
}

// check walks from the item's base towards its path, moves aside what is there,
// or with live set goes on watching from the last folder that exists.
func (w *watcher) check(item *absentItem, live bool) {
	dir, rest := item.base, item.rel
	for {
		name, deeper, more := strings.Cut(rest, "/")
		var st unix.Stat_t
		err := withAccess(dir, func() error { return unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			return
		}
		if err != nil {
			w.record(item, filepath.Join(dir.Name(), name), err)
			return
		}
		if !more || st.Mode&unix.S_IFMT != unix.S_IFDIR {
			w.aside(item, dir, name) // the path itself, or a link or file that would take its place
			return
		}
		fd := -1
		err = withAccess(dir, func() (err error) {
			fd, err = unix.Openat(int(dir.Fd()), name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			return err
		})
		if err != nil {
			if !live { // while the command runs another event, or the sweep, follows
				w.record(item, filepath.Join(dir.Name(), name), err)
			}
			return
		}
		dir, rest = os.NewFile(uintptr(fd), filepath.Join(dir.Name(), name)), deeper
		if live && w.inotify != nil && w.watch(dir, item, rest) != nil {
			w.inotify.Close() // out of watches
			w.inotify = nil
			w.poll.Reset(pollEvery)
			live = false
		}
	}
}

// aside renames dir/name in place and records it. The new name is not known to
// the command beforehand, which could take it.
func (w *watcher) aside(item *absentItem, dir *os.File, name string) {
	item.count++
	if item.count > maxAside && !w.over {
		w.over = true
		close(w.killed)
	}
	err := withAccess(dir, func() (err error) {
		for range 8 {
			to := fmt.Sprintf("%s.confine-%s-%s", name[:min(len(name), 200)], w.runID, newRunID()[:8])
			err = unix.Renameat2(int(dir.Fd()), name, int(dir.Fd()), to, unix.RENAME_NOREPLACE)
			if !errors.Is(err, unix.EEXIST) {
				return err
			}
		}
		return err
	})
	if !errors.Is(err, unix.ENOENT) { // else it is gone again
		w.record(item, filepath.Join(dir.Name(), name), err)
	}
}

// record notes that path was created. With err it could not be moved aside; the
// outcome is denied either way, and the words say so.
func (w *watcher) record(item *absentItem, path string, err error) {
	what := "create"
	if err != nil {
		what = fmt.Sprintf("create (LEFT IN PLACE, remove it: %v)", err)
	}
	if len(w.moved) < 64 {
		w.moved = append(w.moved, classify.Record{Kind: classify.DenialFilesystem, What: what, Path: path,
			Layer: item.layer.Origin.String() + " " + item.layer.Path, Undone: true})
	}
}

// withAccess does something in dir, and where the folder's mode forbids it, as
// the command may have set it, does it again with the owner's rights.
func withAccess(dir *os.File, do func() error) error {
	err := do()
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	var st unix.Stat_t
	self := fmt.Sprintf("/proc/self/fd/%d", dir.Fd()) // fchmod(2) takes no O_PATH descriptor
	if unix.Fstat(int(dir.Fd()), &st) != nil || unix.Chmod(self, st.Mode&0o7777|0o700) != nil {
		return err
	}
	err = do()
	_ = unix.Chmod(self, st.Mode&0o7777)
	return err
}

// overrun is closed when a path was planted too often.
func (w *watcher) overrun() <-chan struct{} {
	if w == nil {
		return nil
	}
	return w.killed
}

// sweep looks at every path once more. The tree is dead, so this is final.
func (w *watcher) sweep() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	for _, item := range w.items {
		w.check(item, false)
	}
}

// end stops the live watch.
func (w *watcher) end() {
	w.ended = true
	if w.poll != nil {
		w.poll.Stop()
	}
	if w.inotify != nil {
		w.inotify.Close()
		w.inotify = nil
	}
}

func (w *watcher) records() []classify.Record {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

func (w *watcher) close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	for _, f := range w.folders {
		f.dir.Close()
	}
	for _, item := range w.items {
		item.base.Close()
	}
}
