//go:build linux

package seccomp

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A rule decides some calls otherwise than the list that the profile is based on.
type rule struct {
	errno syscall.Errno // 0 allows
	why   string
	calls string // separated by white space
}

const whyUnlisted = "needs a capability, or is not for programs"

// rules belong to every preset. A call that is neither here nor on the base list is closed with EPERM.
var rules = []rule{
	{unix.ENOSYS, "performs other calls where no filter sees them; programs fall back",
		"io_uring_setup io_uring_enter io_uring_register"},
	{unix.ENOSYS, "halts the kernel inside a copy, which makes its races winnable; programs fall back", "userfaultfd"},
	{unix.ENOSYS, "its flags are in memory, where no filter sees them; the C library falls back to clone", "clone3"},
	{unix.ENOSYS, "changes mounts; programs fall back to mount, which says EPERM",
		"fsopen fsconfig fsmount fspick open_tree open_tree_attr move_mount mount_setattr"},
	{unix.ENOSYS, "new and little used; programs fall back to /proc and ioctl",
		"statmount listmount listns lsm_get_self_attr lsm_set_self_attr lsm_list_modules file_getattr file_setattr"},
	{unix.ENOSYS, "reaches into another process; debuggers fall back to ptrace", "process_vm_readv process_vm_writev"},
	{unix.ENOSYS, "obsolete or never implemented",
		`_sysctl afs_syscall create_module get_kernel_syms getpmsg lookup_dcookie nfsservctl putpmsg
		query_module security sysfs tuxcall uselib ustat vserver`},

	{unix.EPERM, "keyrings are not namespaced", "add_key keyctl request_key"},
	{unix.EPERM, "opens files by inode, past mounts and masks", "open_by_handle_at name_to_handle_at"},
	{unix.EPERM, "joins a namespace", "setns"},
	{unix.EPERM, "takes a descriptor out of another process, or advises its memory", "pidfd_getfd process_madvise kcmp"},
	{unix.EPERM, "runs programs in the kernel", "bpf"},
	{unix.EPERM, "reads kernel and processor state across processes", "perf_event_open"},
	{unix.EPERM, "changes mounts", "mount umount2 pivot_root chroot"},

	{0, "its namespace flags are refused by argument", "unshare"},
	{0, "an operation on the caller's own memory or schedule",
		"mseal rseq_slice_yield futex_wait futex_wake futex_requeue map_shadow_stack cachestat"},
	{0, "the kernel enters it from its own trampoline", "uretprobe uprobe"},
	{0, "a file operation; mounts and Landlock decide", "setxattrat getxattrat listxattrat removexattrat fchmodat2"},
	{0, "narrows further: a sandbox inside the sandbox works",
		"landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp"},
	{0, "debuggers need it; the pid namespace or the Landlock domain bounds it", "ptrace"},
}

// strictRules come on top for the strict preset: interfaces that compilers, interpreters and tests do
// without, each with a history of kernel bugs.
var strictRules = []rule{
	{unix.EPERM, "reaches into another process", "ptrace"},
	{unix.ENOSYS, "System V IPC", `shmget shmat shmdt shmctl semget semop semtimedop semctl
		msgget msgsnd msgrcv msgctl`},
	{unix.ENOSYS, "POSIX message queues",
		"mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"},
	{unix.ENOSYS, "kernel asynchronous I/O", "io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents"},
	{unix.ENOSYS, "unusual memory", "memfd_secret remap_file_pages modify_ldt vmsplice"},
	{unix.EPERM, "changes the clock", "adjtimex clock_adjtime"},
	{unix.EPERM, "needs a capability to be of use", "fanotify_mark process_mrelease"},
}

// index maps each call to the last rule that names it.
func index(lists ...[]rule) map[string]rule {
	m := make(map[string]rule)
	for _, list := range lists {
		for _, r := range list {
			for _, call := range strings.Fields(r.calls) {
				m[call] = r
			}
		}
	}
	return m
}
