package classify

import (
	"strconv"
	"strings"
)

// denialHint names the remedy for a denial by one of our backends, "" for a foreign one.
func (d Dialect) denialHint(by Denial) string {
	if !d.own {
		return ""
	}
	switch by.Kind {
	case DenialNetwork:
		if d.reach == "deny" && loopbackPeer(by.Host) {
			return "allow connections within the run with --net loopback"
		}
		return "allow the network with --net allow-all"
	case DenialSyscall:
		return "allow the call by name under seccomp.allow in the policy, if it is to be allowed"
	case DenialProcess:
		return "programs cannot gain privileges or reach processes outside; run the command without them"
	}
	hint := "see what is granted with confine explain"
	if by.Errno == "EBUSY" && by.Layer == "" { // a pin: nothing is to be granted at that path
		return "it holds a protected path and so cannot be moved; " + hint
	}
	flag := "--write"
	if by.What == "read" || by.What == "access" && d.hides(by.Path) {
		flag = "--read"
	}
	if arg, ok := shellWord(by.Path); ok {
		hint = "grant it with " + flag + " " + arg
		if flag == "--write" {
			hint += " or a folder above"
		}
	}
	if d.mode == "read-only" && by.What == "write" {
		hint += "; --mode workspace-write grants the workspace"
	}
	return hint
}

// hides says whether the policy denies a path altogether.
func (d Dialect) hides(path string) bool {
	if d.judge == nil {
		return false
	}
	access, _, ok := d.judge(path)
	return ok && access == "deny"
}

// launchHint names the remedy for a launch that failed.
func (d Dialect) launchHint(f *LaunchFailure) string {
	if f.Path != "" && d.judge != nil {
		if access, layer, ok := d.judge(f.Path); ok && access == "deny" {
			hint := "the policy hides it"
			if layer != "" {
				hint += " (" + escapedText(layer) + ")"
			}
			if arg, ok := shellWord(f.Path); ok {
				hint += "; grant it with --read " + arg
			}
			return hint
		}
	}
	if f.NoSuchProgram || f.NotExecutable {
		return ""
	}
	return "confine doctor says what this host can enforce"
}

// limitHint names the flag that sets a limit.
func (d Dialect) limitHint(limit string) string {
	low := lowerASCII(limit)
	for _, l := range [][2]string{
		{"wall", "--timeout"}, {"time", "--timeout"}, {"cpu", "--cpu"}, {"memory", "--memory"},
		{"process", "--processes"}, {"file", "--file-size"}, {"output", "--output-limit"},
	} {
		if d.own && strings.Contains(low, l[0]) {
			return "raise it with " + l[1]
		}
	}
	return ""
}

// shellWord writes s as one word that a shell takes literally. ok is false for what cannot be shown so: a hint is copied by hand,
// and a name with control characters, or an overlong one, is not for that.
func shellWord(s string) (word string, ok bool) {
	if s == "" || len(s) > maxShown || strings.ContainsRune(s, '\uFFFD') {
		return "", false
	}
	plain := true
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return "", false
		}
		plain = plain && (r < 0x80 && wordByte(byte(r)) || strings.ContainsRune("/.-+,:@%", r))
	}
	if plain && s[0] != '-' {
		return s, true
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", true
}
