package classify

import "strings"

// hit is a signature found in a line, at the bytes [from, to).
type hit struct {
	signature
	from, to int
}

// maxTries bounds how many occurrences of the same words in one line are looked at.
const maxTries = 4

// presentSignatures returns the signatures whose words occur in low at all, in the order of the table: of a whole stderr they are
// few, and most often none.
func presentSignatures(low string) []signature {
	var present []signature
	for _, sig := range signatures {
		if strings.Contains(low, sig.text) {
			present = append(present, sig)
		}
	}
	return present
}

// findSignature returns the one of present that stands furthest right in a line, where programs put the cause that matters.
// Symbolic names are looked for only where no words were found.
func findSignature(present []signature, text, low string) (hit, bool) {
	var best hit
	for _, sig := range present {
		if sig.place == atCode && best.to > 0 {
			break
		}
		if !strings.Contains(low, sig.text) { // many times faster than LastIndex
			continue
		}
		at := len(low)
		for range maxTries {
			if at = strings.LastIndex(low[:at], sig.text); at < 0 || at+len(sig.text) <= best.to {
				break
			}
			if h := (hit{sig, at, at + len(sig.text)}); h.placed(text, low) {
				best = h
				break
			}
		}
	}
	return best, best.to > 0
}

func (h hit) placed(text, low string) bool {
	switch h.place {
	case atErrno:
		return errnoPlace(low, h.from, h.to)
	case atCode:
		return codePlace(text, low, h.from, h.to)
	}
	return h.from == 0 || !isQuote(low[h.from-1])
}

// errnoPlace says whether the words at [from, to) stand where programs print an error's text, so that prose, quoted source
// and search results which hold the same words are no evidence.
func errnoPlace(low string, from, to int) bool {
	lead, rest := low[:from], low[to:]
	before := strings.TrimRight(lead, " \t")
	if strings.HasPrefix(rest, " (os error ") || errnoBracket(before) || strings.Contains(before, "os { code: ") {
		return true
	}
	if lead != "" && strings.IndexByte(" \t:(=>", lead[len(lead)-1]) < 0 || !introduces(before) {
		return false
	}
	for _, p := range []string{" (publickey", " (password", " (keyboard", " (gssapi", ", please try again"} {
		if strings.HasPrefix(rest, p) {
			return false
		}
	}
	switch {
	case strings.TrimSpace(rest) == "", strings.IndexByte(":,).;!]>", rest[0]) >= 0, strings.HasPrefix(rest, " ("), strings.HasPrefix(rest, " at "), strings.HasPrefix(rest, " while "), strings.HasPrefix(rest, " @ "):
		return true
	case isQuote(rest[0]):
		return !quotedSource(before, rest[0])
	}
	return false
}

// errnoBracket says whether text ends as Python prefixes an error: "[Errno 13]".
func errnoBracket(before string) bool {
	open := strings.LastIndex(before, "[errno ")
	return open >= 0 && strings.HasSuffix(before, "]") && len(before)-open < 16
}

// introduces says whether text is what programs print before an error's text.
func introduces(before string) bool {
	for _, end := range []string{":", "(", "]", "=", ">", " -", " due to", " because of", " with", "got"} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return before == ""
}

// quotedSource says whether the string that quote ends was opened as programs' source opens one: in a call, an assignment,
// a list or a return.
func quotedSource(before string, quote byte) bool {
	open := strings.LastIndexByte(before, quote)
	if open <= 0 {
		return false
	}
	if before[open-1] == '(' {
		return true
	}
	lead := strings.TrimRight(before[:open], " \t")
	return len(lead) < open && (strings.HasSuffix(lead, "=") || strings.HasSuffix(lead, "+") || strings.HasSuffix(lead, "return"))
}

// codePlace says whether a symbolic error name at [from, to) is one that a program prints: in capitals, a word of its own, unquoted, and at
// the end, before a colon, or between a call and its address.
func codePlace(text, low string, from, to int) bool {
	if strings.ToUpper(text[from:to]) != text[from:to] || from > 0 && (isQuote(text[from-1]) || wordByte(text[from-1])) {
		return false
	}
	rest := text[to:]
	if rest == "" || rest[0] == ':' || rest[0] == ',' || rest[0] == ')' {
		return true
	}
	if rest[0] != ' ' {
		return false
	}
	last := ""
	for word := range splitWords(low[:from]) {
		last = word
	}
	return socketWords[last]
}

// peerMarks are the words before the name or address of a peer, most specific first.
var peerMarks = []string{
	"could not resolve host: ", "couldn't resolve host: ", "could not resolve hostname ", "could not translate host name ", "unable to resolve host address ",
	"unable to resolve host ", "temporary failure resolving ", "failed to resolve ", "bad address ", "unknownhostexception: ", "eai_again ", "enotfound ", "enetunreach ",
	"ehostunreach ", "econnrefused ", "eaddrnotavail: address not available ", "eaddrnotavail ", "eacces ", "eperm ", "lookup ", "failed to connect to ", "unable to connect to ",
	"connect to host ", "connect to address ", "connecting to ", "listen tcp ", "dial tcp ", "dial udp ", "connection to server at ", "/dev/tcp/", "/dev/udp/",
}

// findPeer returns the host that a line of a network error names, without its port.
func findPeer(text, low string) string {
	for _, mark := range peerMarks {
		at := strings.Index(low, mark)
		if at < 0 {
			continue
		}
		if host := peerName(strings.TrimLeft(text[at+len(mark):], `'"`)); host != "" {
			return host
		}
	}
	return ""
}

func peerName(s string) string {
	end := 0
	for end < len(s) && end < 256 && (wordByte(s[end]) || strings.IndexByte(".-:[]%", s[end]) >= 0) {
		end++
	}
	host := strings.TrimRight(s[:end], ".:")
	if strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host[1:], "]")
		return host
	}
	if name, _, port := strings.Cut(host, ":"); port && strings.Count(host, ":") == 1 {
		host = name
	}
	if strings.ContainsAny(host, ".:") || host == "localhost" {
		return host
	}
	return "" // a single label may be any word of a sentence
}

// loopbackPeer says whether a host is the machine itself.
func loopbackPeer(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.") || strings.HasSuffix(host, ".localhost")
}

func isQuote(b byte) bool { return b == '\'' || b == '"' || b == '`' }

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
