package classify

// signature is one way in which programs word a refusal.
type signature struct {
	text  string // lower case
	errno string // "" where the words name no error; such a signature needs a path that the policy refuses
	kind  DenialKind
	what  string // the operation, where the words tell it
	place place
}

// place is where in a line the words are evidence.
type place uint8

const (
	atErrno  place = iota // where programs print strerror(3): after a colon or bracket, before the end or punctuation
	atCode                // a symbolic error name, in capitals, as a word of its own
	anywhere              // specific enough wherever it stands unquoted
	withPath              // as anywhere; the path follows
)

// signatures of the operating system's errors, in the words of the libc, Go, Node, Java, Rust and Python, and of single
// programs that drop the error. Which of them count is the business of the Dialect.
var signatures = []signature{
	{"read-only file system", "EROFS", DenialFilesystem, "write", atErrno},
	{"permission denied", "EACCES", DenialFilesystem, "", atErrno},
	{"operation not permitted", "EPERM", DenialFilesystem, "", atErrno},
	{"device or resource busy", "EBUSY", DenialFilesystem, "write", atErrno},
	{"resource busy or locked", "EBUSY", DenialFilesystem, "write", atErrno},
	{"invalid cross-device link", "EXDEV", DenialFilesystem, "write", atErrno},
	{"cross-device link not permitted", "EXDEV", DenialFilesystem, "write", atErrno},
	{"cross-device link", "EXDEV", DenialFilesystem, "write", atErrno},
	{"no such file or directory", "ENOENT", DenialFilesystem, "", atErrno},
	{"directory nonexistent", "ENOENT", DenialFilesystem, "", atErrno},
	{"function not implemented", "ENOSYS", DenialSyscall, "system call", atErrno},

	{"accessdeniedexception: ", "EACCES", DenialFilesystem, "", withPath},
	{"nosuchfileexception: ", "ENOENT", DenialFilesystem, "", withPath},
	{"insufficient permission for adding an object to repository database ", "EACCES", DenialFilesystem, "write", withPath},
	{"can't cd to ", "", DenialFilesystem, "read", withPath},
	{`unable to open database "`, "", DenialFilesystem, "write", withPath},
	{"e212: can't open file for writing", "", DenialFilesystem, "write", anywhere},
	{"no usable temporary directory found in [", "", DenialFilesystem, "write", withPath},

	{"bad system call", "SIGSYS", DenialSyscall, "system call", anywhere},
	{"signals.sigsys", "SIGSYS", DenialSyscall, "system call", anywhere},
	{`the "no new privileges" flag is set`, "SUID", DenialProcess, "gain privileges", anywhere},
	{"effective uid is not 0, is", "SUID", DenialProcess, "gain privileges", anywhere},
	{"must be owned by uid 0 and have the setuid bit set", "SUID", DenialProcess, "gain privileges", anywhere},
	{"perm_sudoers: setresuid(", "SUID", DenialProcess, "gain privileges", anywhere}, // sudo as root: no other user exists inside

	{"network is unreachable", "ENETUNREACH", DenialNetwork, "connect", atErrno},
	{"network is down", "ENETDOWN", DenialNetwork, "connect", atErrno},
	{"no route to host", "EHOSTUNREACH", DenialNetwork, "connect", atErrno},
	{"connection refused", "ECONNREFUSED", DenialNetwork, "connect", atErrno},
	{"couldn't connect to server", "ECONNREFUSED", DenialNetwork, "connect", atErrno},
	{"could not connect to server", "ECONNREFUSED", DenialNetwork, "connect", atErrno},
	{"cannot assign requested address", "EADDRNOTAVAIL", DenialNetwork, "bind", atErrno},
	{"address not available", "EADDRNOTAVAIL", DenialNetwork, "bind", atErrno},
	{"address family not supported by protocol", "EAFNOSUPPORT", DenialNetwork, "connect", atErrno},

	{"temporary failure in name resolution", "EAI_AGAIN", DenialNetwork, "resolve", atErrno},
	{"name or service not known", "EAI_NONAME", DenialNetwork, "resolve", atErrno},
	{"nodename nor servname provided, or not known", "EAI_NONAME", DenialNetwork, "resolve", atErrno},
	{"name does not resolve", "EAI_NONAME", DenialNetwork, "resolve", atErrno},
	{"no address associated with hostname", "EAI_NODATA", DenialNetwork, "resolve", atErrno},
	{"no such host", "EAI_NONAME", DenialNetwork, "resolve", atErrno},
	{"server misbehaving", "EAI_AGAIN", DenialNetwork, "resolve", atErrno},
	{"could not resolve host", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"couldn't resolve host", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"unable to resolve host", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"could not translate host name", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"temporary failure resolving", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"failed to resolve '", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"failed to lookup address information", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"java.net.unknownhostexception", "EAI_NONAME", DenialNetwork, "resolve", anywhere},
	{"bad address '", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"net::err_name_not_resolved", "EAI_AGAIN", DenialNetwork, "resolve", anywhere},
	{"net::err_internet_disconnected", "ENETUNREACH", DenialNetwork, "connect", anywhere},
	{"net::err_address_unreachable", "ENETUNREACH", DenialNetwork, "connect", anywhere},

	{"eacces", "EACCES", DenialFilesystem, "", atCode},
	{"eperm", "EPERM", DenialFilesystem, "", atCode},
	{"erofs", "EROFS", DenialFilesystem, "write", atCode},
	{"ebusy", "EBUSY", DenialFilesystem, "write", atCode},
	{"exdev", "EXDEV", DenialFilesystem, "write", atCode},
	{"enoent", "ENOENT", DenialFilesystem, "", atCode},
	{"enosys", "ENOSYS", DenialSyscall, "system call", atCode},
	{"eai_again", "EAI_AGAIN", DenialNetwork, "resolve", atCode},
	{"enotfound", "EAI_NONAME", DenialNetwork, "resolve", atCode},
	{"enetunreach", "ENETUNREACH", DenialNetwork, "connect", atCode},
	{"enetdown", "ENETDOWN", DenialNetwork, "connect", atCode},
	{"ehostunreach", "EHOSTUNREACH", DenialNetwork, "connect", atCode},
	{"econnrefused", "ECONNREFUSED", DenialNetwork, "connect", atCode},
	{"eaddrnotavail", "EADDRNOTAVAIL", DenialNetwork, "bind", atCode},
	{"eafnosupport", "EAFNOSUPPORT", DenialNetwork, "connect", atCode},
}

// Words round a refusal that tell what was wanted, or that it was no matter of files. Program names and calls are among them.
var (
	writeWords = wordSet("append changing chattr chmod chown copyfile copying create creating delete deleting fchmod fchmodat fchown fifo link linking lock",
		"mkdir mkdirat mkdtemp mkfifo mkstemp move mv output remove removing rename renameat renameat2 rm rmdir save saving setxattr",
		"symlink temp temporary touch truncate unlink unlinkat utime utimensat utimes write writing")
	lookWords   = wordSet("access cd chdir lstat opendir readdir reading scandir stat statx")
	readWords   = wordSet("exec execute execve load read readlink source spawn spawnsync")
	moveWords   = wordSet("mv move rename renameat renameat2 rm remove rmdir unlink unlinkat delete")
	readers     = wordSet("cat cc1 cc1plus cksum cmp diff du egrep fgrep file find grep head hexdump jq less ls md5sum more od rg sha1sum sha256sum sort stat strings tail wc xxd")
	callWords   = wordSet("chroot clone date fsopen groups hostname insmod io_uring_setup keyctl mknod modprobe mount nsenter perf_event_open pivot_root setdomainname setegid seteuid setgid setgroups sethostname setns setuid settimeofday su sudo swapon sysctl umount unshare userfaultfd")
	killWords   = wordSet("gdb kill pidfd_open pkill ptrace process_vm_readv renice setpriority strace")
	socketWords = wordSet("bind connect connecting dial getaddrinfo listen lookup sendto socket socktype")
)

func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for word := range splitWords(list) {
			set[word] = true
		}
	}
	return set
}
