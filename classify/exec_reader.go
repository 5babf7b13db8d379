package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits that keep a reading short whatever the input. What lies beyond them is Unknown.
const (
	maxScript   = 64 << 10  // bytes of one script
	maxTotal    = 256 << 10 // bytes of all scripts inside one command
	maxDepth    = 12        // commands inside commands
	maxNesting  = 200       // shell blocks inside blocks
	maxBrackets = 8192      // opening round and square brackets in one script: parsing them nested takes quadratic time
	maxParts    = 4096
	maxWords    = 4096    // words that expansions make of one command
	maxText     = 8 << 10 // bytes of one word that variables are put together to
	maxWork     = 1 << 16 // words of commands that expansions and wrappers make, in all
	maxArgv     = 64      // words of a part that are kept
)

// span is a range of bytes of the text of a verdict.
type span struct{ start, end int }

// source says where a string comes from in the text: its place and, when it stands there byte for byte, where its first byte is.
type source struct {
	span
	offset int
	exact  bool
}

func exactly(start, end int) source { return source{span{start, end}, start, true} }
func inexactly(at span) source      { return source{span: at} }

// sub is the place of a range of the string.
func (s source) sub(start, end int) span {
	if !s.exact {
		return s.span
	}
	return span{s.offset + start, s.offset + end}
}

// word is one argument.
type word struct {
	text    string // expansions that are not resolved stay as written
	at      source
	dynamic bool // holds an expansion that is not resolved
	glob    bool // unquoted: the shell expands globs in it
}

// literal makes words that come from no place of their own.
func literal(at span, texts ...string) []word {
	words := make([]word, len(texts))
	for i, s := range texts {
		words[i] = word{text: s, at: inexactly(at)}
	}
	return words
}

// reader is one classification in progress.
type reader struct {
	t         *Table
	text      string
	parts     []Part
	slab      []string    // unused room for words of parts
	stack     []word      // words of the commands being read
	spare     *invocation // one that is not in use
	deciding  int
	bytes     int // of scripts parsed so far
	vars      map[string]*variableValue
	functions map[string]bool
	input     []word // literal text on the standard input of the command being read
	piped     bool   // its input is a pipe or a file
	folder    string // that the script changed to, "" when it did not or when that is not known
	nesting   int
	work      int  // words read of commands that are not in the text as they are
	certain   bool // only what is recognised counts: this is a second reading of the same text
	full      bool
}

// add records a part.
func (r *reader) add(c Capability, program, reason string, argv []word, at span) {
	if r.certain && c == Unknown {
		return
	}
	p := Part{Capability: c, Decision: r.t.decision(c), Program: printable(program), Reason: printable(reason), Start: at.start, End: at.end}
	if len(r.parts) >= maxParts {
		r.overflow(p, at)
		return
	}
	p.Argv = r.texts(argv[:min(len(argv), maxArgv)])
	r.push(p)
}

// texts takes the words of a part out of one large allocation.
func (r *reader) texts(words []word) []string {
	if len(words) == 0 {
		return []string{}
	}
	if len(r.slab) < len(words) {
		r.slab = make([]string, max(len(words), min(16+len(r.text)/16, 1024)))
	}
	out := r.slab[:len(words):len(words)]
	r.slab = r.slab[len(words):]
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

func (r *reader) push(p Part) {
	if r.parts == nil {
		r.parts = make([]Part, 0, min(2+len(r.text)/32, maxParts))
	}
	p.Start, p.End = min(p.Start, len(r.text)), min(p.End, len(r.text))
	r.parts = append(r.parts, p)
	if d := &r.parts[r.deciding]; riskierPart(&p, d) {
		r.deciding = len(r.parts) - 1
	}
}

// overflow keeps the parts bounded without losing the riskiest: the last place is kept for it.
func (r *reader) overflow(p Part, at span) {
	if !r.full {
		r.full = true
		r.push(Part{Capability: Unknown, Decision: r.t.decision(Unknown), Reason: "there are more than 4096 commands", Argv: []string{}, Start: at.start, End: at.end})
	}
	if riskierPart(&p, &r.parts[r.deciding]) {
		p.Argv = []string{}
		if r.deciding < maxParts {
			r.push(p)
		} else {
			r.parts[r.deciding] = p
		}
	}
}

// riskierPart compares outcomes first, then capabilities.
func riskierPart(p, than *Part) bool {
	if d := p.Decision.Compare(than.Decision); d != 0 {
		return d > 0
	}
	return p.Capability.rank() > than.Capability.rank()
}

func (r *reader) verdict() Verdict {
	if len(r.parts) == 0 {
		r.add(Unknown, "", "there is no command", nil, span{0, len(r.text)})
	}
	d := r.parts[r.deciding]
	return Verdict{Capability: d.Capability, Decision: d.Decision, Program: d.Program, Reason: d.Reason, Text: r.text, Parts: r.parts, Deciding: r.deciding}
}

// printable makes text from a command safe to show: no control characters, valid UTF-8, at most 200 bytes.
func printable(s string) string {
	if len(s) > 200 {
		cut := 197
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f {
			return strings.Map(func(c rune) rune {
				if !unicode.IsPrint(c) {
					return '?'
				}
				return c
			}, strings.ToValidUTF8(s, "?"))
		}
	}
	return s
}
