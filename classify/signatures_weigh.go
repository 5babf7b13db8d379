package classify

import (
	"slices"
	"strings"
)

// maxDenials bounds Classification.Denials.
const maxDenials = 64

// evidence is what the lines of a stderr say about one run.
type evidence struct {
	denials []Denial
	more    int
	seen    map[Denial]bool
}

func (e *evidence) add(d Denial) {
	key := d
	if d.Path != "" || d.Host != "" {
		key.Line = ""
	}
	if e.seen[key] {
		return
	}
	if len(e.denials) == maxDenials {
		e.more++
		return
	}
	if e.seen == nil {
		e.seen = map[Denial]bool{}
	}
	e.seen[key] = true
	e.denials = append(e.denials, d)
}

// read collects the denials that the lines of a stderr speak of, in the dialect d.
func (d Dialect) read(lines []string) evidence {
	var e evidence
	if d.name == "" {
		return e
	}
	cleaned := make([]string, len(lines))
	for i, line := range lines {
		cleaned[i] = cleanLine(line)
	}
	joinWrapped(cleaned)
	present := presentSignatures(lowerASCII(strings.Join(cleaned, "\n")))
	if len(present) == 0 {
		return e
	}
	for i, text := range cleaned {
		low := lowerASCII(text)
		if excludedLine(low) {
			continue
		}
		if strings.HasPrefix(low, "fatal: unknown error occurred while reading the configuration files") || strings.HasPrefix(low, "curl: (23) ") {
			promoteLast(e.denials)
			continue
		}
		h, ok := findSignature(present, text, low)
		if !ok {
			continue
		}
		if denial, ok := d.weigh(h, text, low, cleaned[max(0, i-6):i]); ok {
			denial.Line = snippet(text, h.from, h.to)
			denial.Advisory = advisoryLine(low)
			e.add(denial)
		}
	}
	return e
}

// promoteLast makes the warning before a fatal message that states no cause the cause.
func promoteLast(denials []Denial) {
	if len(denials) > 0 {
		denials[len(denials)-1].Advisory = false
	}
}

// weigh judges one signature. ok is false where it is no denial: the dialect does not know the error, or the policy grants
// what the line says was wanted.
func (d Dialect) weigh(h hit, text, low string, before []string) (Denial, bool) {
	out := Denial{Kind: h.kind, What: h.what, Errno: h.errno, Confidence: ConfidenceLikely}
	switch {
	case h.errno == "EAFNOSUPPORT" && d.name == "namespace": // network namespaces have the usual families; the filter refuses others
		out.Kind, out.What = DenialSyscall, "socket"
		if !d.narrowed() { // as a machine without IPv6 does
			out.Confidence = ConfidenceUnknown
		}
		return out, true
	case h.kind == DenialNetwork:
		return d.weighPeer(out, text, low)
	case h.errno == "SIGSYS" || h.errno == "SUID":
		out.Errno = strings.TrimPrefix(h.errno, "SUID")
		return out, d.sigsys == 31 || h.errno == "SIGSYS"
	}
	needsRefusal, ok := d.speaks(h.errno)
	if !ok && !(d.narrowed() && (h.errno == "EACCES" || h.errno == "EPERM")) {
		return out, false
	}
	if h.kind == DenialSyscall {
		return out, !needsRefusal
	}
	paths := findPaths(text, h)
	rest := blank(low, paths, h.from)
	words := map[string]bool{}
	for word := range splitWords(rest) {
		words[word] = true
	}
	if h.errno == "EPERM" || h.errno == "EACCES" {
		switch {
		case len(paths) > 0 && (strings.HasPrefix(paths[0].path, "/dev/tcp/") || strings.HasPrefix(paths[0].path, "/dev/udp/")):
			out.What = "connect"
			return d.weighPeer(out, text, low)
		case anyWord(words, callWords):
			out.Kind, out.What = DenialSyscall, "system call"
			return out, true
		case anyWord(words, killWords):
			out.Kind, out.What = DenialProcess, "process control"
			if words["kill"] && d.weakRead { // a process namespace hides what is outside, so the target is another user's
				out.Confidence = ConfidenceUnknown
			}
			return out, true
		case len(paths) == 0 && (anyWord(words, socketWords) || socketContext(before)):
			switch {
			case d.weakRead && h.errno == "EACCES" && findPeer(text, low) == "": // a socket file: unroutable peers are never refused so
				out.What = "connect"
				return out, !words["bind"] && !words["listen"]
			case d.narrowed() && !d.weakRead:
				out.What = "connect"
				return d.weighPeer(out, text, low)
			}
			out.Kind, out.What = DenialSyscall, "socket"
			return out, !words["bind"] && !words["listen"]
		case len(paths) == 0 && h.errno == "EPERM" && d.sigsys == 31: // capabilities and the filter, not files
			out.Kind, out.What = DenialSyscall, "system call"
			return out, ok
		}
	}
	if !ok {
		return out, false
	}
	if len(paths) == 0 && strings.HasPrefix(low, " ") {
		paths = causedPath(before, strings.TrimSpace(low[:h.from]) == "")
	}
	want := h.what
	if want == "" {
		want = wanted(words, low)
	}
	return d.weighPaths(out, paths, want, needsRefusal, anyWord(words, moveWords) || len(paths) == 2 && strings.Contains(low, "' -> '"))
}

// weighPaths judges a filesystem error by the paths of its line.
func (d Dialect) weighPaths(out Denial, paths []pathSpan, want string, needsRefusal, move bool) (Denial, bool) {
	out.What = want
	if want == "" {
		out.What = "access"
	}
	granted := 0
	for i := len(paths) - 1; i >= 0; i-- {
		path := paths[i].path
		if out.Path == "" || out.Errno == "EBUSY" || out.Errno == "EXDEV" { // of two names the first is what was to be moved or made
			out.Path = validText(path)
		}
		if d.judge == nil {
			continue
		}
		access, layer, ok := d.judge(path)
		if !ok {
			continue
		}
		here := out
		here.Path, here.Layer = validText(path), layer
		switch {
		case access == "deny", access == "read" && want == "write":
			here.Confidence = ConfidenceCertain
			return here, true
		case access == "read" && want == "":
			if here.Confidence = ConfidenceLikely; d.weakRead {
				here.Confidence = ConfidenceUnknown
			}
			return here, !needsRefusal
		}
		granted++
		out.Layer = layer
	}
	switch {
	case needsRefusal:
		return out, false
	case granted == 0: // nothing could be judged
		return out, true
	case out.Errno == "EBUSY": // a pin lies on a writable folder, and is not to be moved
		out.Layer = ""
		return out, move
	case out.Errno == "EROFS": // a link, or a file system that is read-only by itself; of a relative path, another folder
		if strings.HasPrefix(paths[len(paths)-1].path, "/") {
			out.Confidence = ConfidenceUnknown
		}
		out.Layer = ""
		return out, true
	case out.Errno == "EXDEV":
		return out, true
	}
	relative := slices.ContainsFunc(paths, func(p pathSpan) bool { return !strings.HasPrefix(p.path, "/") })
	out.Confidence, out.Layer = ConfidenceUnknown, ""
	return out, relative // another folder may have been meant
}

// weighPeer judges a network error by the peer of its line: like a path, a peer that the reach refuses makes it certain.
func (d Dialect) weighPeer(out Denial, text, low string) (Denial, bool) {
	if !d.narrowed() {
		return out, false
	}
	out.Kind, out.Layer, out.Host = DenialNetwork, "network "+d.reach, validText(findPeer(text, low))
	local := loopbackPeer(out.Host)
	switch {
	case d.reach == "loopback" && local:
		out.Confidence, out.Layer = ConfidenceUnknown, ""
		return out, out.What != "bind"
	case out.Host != "" && out.What != "bind":
		out.Confidence = ConfidenceCertain
	case out.Errno == "ECONNREFUSED": // a socket file refuses so too
		out.Confidence = ConfidenceUnknown
	}
	return out, true
}

// wanted tells from the words round a refusal whether the program meant to write or to read; "" where they do not tell.
func wanted(words map[string]bool, low string) string {
	program, _, _ := strings.Cut(low, ":")
	program = program[strings.LastIndexByte(program, '/')+1:]
	switch {
	case anyWord(words, lookWords):
		return "read"
	case anyWord(words, writeWords):
		return "write"
	case anyWord(words, readWords), readers[program]:
		return "read"
	}
	return ""
}

// blank returns the part of low that tells what was wanted: up to the signature, and after it what is no path.
func blank(low string, paths []pathSpan, from int) string {
	const window = 512
	b := []byte(low)
	for _, p := range paths {
		for i := p.from; i < p.to && i < len(b); i++ {
			b[i] = ' '
		}
	}
	first := 0
	if len(paths) > 0 && paths[0].from < from {
		from = max(from, paths[len(paths)-1].to)
		first = paths[0].from
	}
	return string(b[max(0, min(first, from)-window):min(len(b), from+window)])
}

func anyWord(words, set map[string]bool) bool {
	for word := range words {
		if set[word] {
			return true
		}
	}
	return false
}

// socketContext says whether the lines before an error without a path show a call on a socket, as a Python traceback does.
func socketContext(before []string) bool {
	for _, line := range before[max(0, len(before)-3):] {
		if containsAny(line, []string{"sock.connect(", ".connect(", "socket(", "unable to connect to "}) {
			return true
		}
	}
	return false
}

// causedPath finds the path of an indented cause in the message above: as Cargo prints it under "Caused by:", or, where the
// cause is all of its line, at the end of the line before, as unzip does.
func causedPath(before []string, alone bool) []pathSpan {
	if len(before) == 0 {
		return nil
	}
	if above := before[len(before)-1]; strings.TrimSpace(above) != "Caused by:" {
		if _, path, found := strings.Cut(above, ": /"); alone && found {
			return bounded(pathSpan{path: "/" + strings.TrimRight(path, " ")})
		}
		return nil
	}
	for _, text := range slices.Backward(before) {
		text = text[:min(len(text), 2*maxPath)]
		if spans := quotedPaths(text, 0, false); len(spans) > 0 {
			last := spans[len(spans)-1]
			if slashed(last.path) {
				return []pathSpan{{path: last.path}}
			}
		}
	}
	return nil
}
