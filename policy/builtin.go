package policy

// ProtectedNames are readable but not writable directly under every writable
// root: what is planted there is executed or trusted later, outside.
func ProtectedNames() []string {
	return []string{".git", ".hg", ".svn", ".ssh", ".aws", ".npmrc", ".netrc"}
}

// Credentials, relative to the home folder.
var hardenedHome = []string{
	".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config/gh", ".config/gcloud",
	".npmrc", ".netrc", ".git-credentials",
}

// Folders full of sockets of system services, closed as a whole ...
var hardenedRun = []string{"/run", "/var/run"}

// ... but for what programs read there: name resolution, and the programs and
// libraries of NixOS. Files are named one by one where a socket lies beside them.
var reopenedRun = []string{
	"/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf",
	"/run/resolvconf", "/run/NetworkManager/resolv.conf",
	"/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver",
}

// The parts of /proc that a fresh one still shares with the host: those that
// change the machine are read-only, those that tell about it are closed.
var (
	procReadOnly = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"}
	procClosed   = []string{
		"/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/latency_stats",
		"/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi",
	}
	sysClosed = []string{"/sys/firmware", "/sys/devices/virtual/powercap"}
)

// Devices that cannot hurt; the private /dev holds them where the host does.
var devWritable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// Made for every private /dev.
var devMade = []string{"/dev/pts", "/dev/ptmx"}

var tempFolders = []string{"/tmp", "/var/tmp", "/dev/shm"}

// What a dynamically linked program needs to start, find its locale, resolve
// names and check certificates. Nothing that identifies the machine or holds
// secrets of it.
var runtimeSet = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	"/nix/store", "/run/current-system", "/run/opengl-driver",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/zoneinfo",
	"/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/host.conf", "/etc/hostname",
	"/etc/resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf",
	"/etc/alternatives", "/etc/mime.types", "/etc/os-release", "/etc/debian_version",
	"/etc/inputrc", "/etc/terminfo", "/etc/fonts",
}
