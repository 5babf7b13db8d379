package classify

import (
	_ "embed"
	"sync"
)

//go:embed commands.txt
var commandsText string

// Table is what the classifier knows: programs, their sub-commands and options, paths, variables, and the decision for each
// capability. A Table is immutable and safe for concurrent use; the zero value is not usable, see [DefaultTable] and [Table.Extend].
type Table struct {
	programs map[string]*program
	outcomes map[Capability]Decision // differences from defaultDecision
	pathRules
	variables map[string]variable // environment variables and settings that steer other programs
	shapes    []variable          // those whose name is a glob
	secretVar []string            // shapes of names of variables that hold secrets
}

// command is a program or one of its sub-commands.
type command struct {
	name   string
	parent *command
	subs   map[string]*command
	anySub *command // the sub-command *
	*usage          // shared by the names of one line
}

// usage is how the words of a command are read.
type usage struct {
	base    Capability // with no other word
	bare    Capability // with no operand; empty: base
	why     string     // completes "NAME …"; empty: a sentence by capability
	grammar string     // special reading: see special
	single  bool       // long options have one dash
	bundle  bool       // the first operand may be a bundle of options without dash (tar, ps)
	options map[string]*option
	lead    []role // roles of the first operands
	middle  role   // role of the operands between lead and tail
	tail    []role // roles of the last operands
	args    []operandRule
	made    bool // by an extension: no word of it is known but those listed
	stdin   role // of the input when no command or statement is given; roleRead: none
	open    bool // words that are no sub-command are operands
	rest    restKind
	skip    int // operands before the rest
}

// option is a flag, or an option that takes an argument.
type option struct {
	name    string
	takes   bool       // takes an argument
	glued   bool       // the argument is optional and then glued
	two     bool       // takes a name and then the argument
	alone   bool       // counts only as the only word
	role    role       // how the argument is judged
	raise   Capability // at least this when present; empty: nothing
	lower   bool       // raise replaces the base instead
	lead    bool       // stands in for the leading operands
	rest    restKind   // the remaining words, after the argument if it takes one, are a command
	inplace bool       // operands that are read are overwritten too
	inert   bool       // the remaining words are only named
	why     string
}

// operandRule judges operands by their shape.
type operandRule struct {
	glob  string
	role  role
	raise Capability
	why   string
}

// restKind says what the words after the options and the skipped operands are.
type restKind uint8

const (
	restNone   restKind = iota
	restArgv            // a command, word by word
	restScript          // words joined by spaces and read by a shell
	restCode            // program text in another language
)

// role says how an argument is judged.
type role uint8

const (
	roleRead    role = iota // a path that is read, or a word that may be one: credentials count
	roleText                // never a path
	roleWrite               // a path that is created or extended
	roleDestroy             // a path that is overwritten, removed or changed as a whole
	roleScript              // a command line
	roleCode                // program text in another language
	roleEnv                 // NAME or NAME=VALUE of the environment
	roleMount               // SOURCE:TARGET, the source given away
	roleSetting             // changes something when it holds "="
	roleConfig              // NAME=VALUE of a configuration
	roleSed                 // a sed script
	roleAwk                 // an awk program
	roleSQL                 // statements of a database
	roleMethod              // an HTTP method
	roleTree                // a path read recursively: a critical tree or a home holds credentials
)

// variable is a rule for an environment variable.
type variable struct {
	name string
	kind variableKind
}

type variableKind uint8

const (
	variableOpaque variableKind = iota + 1 // makes other programs run something else
	variableScript                         // its value is a command line that programs run
	variableSearch                         // its value is a list of folders that programs are taken from
)

// program is the entry of one name. Its lines are read when it is first asked for: there are many, and a command names few.
type program struct {
	once  sync.Once
	name  string
	block *block
	cmd   *command
}

// block is the text of the line that defines programs and of those below it.
type block struct {
	file string
	line int // of the first
	text string
}

// command is the program's, or nil when its lines are malformed.
func (p *program) command() *command {
	p.once.Do(func() {
		if p.cmd == nil {
			p.cmd, _ = p.block.read(p.name)
		}
	})
	return p.cmd
}

// program finds a program by its name.
func (t *Table) program(name string) *command {
	if p := t.programs[name]; p != nil {
		return p.command()
	}
	return nil
}

var defaultTable = sync.OnceValues(func() (*Table, error) {
	return newTable("commands.txt", commandsText)
})

// DefaultTable is the built-in table. Nothing of it is read before the first call, and a program's lines only when it is asked for.
// The embedded text is checked as a whole by the tests of this package, so an error means a broken build.
func DefaultTable() (*Table, error) { return defaultTable() }

// decision is the decision for a capability under this table.
func (t *Table) decision(c Capability) Decision {
	if d, ok := t.outcomes[c]; ok {
		return d
	}
	return defaultDecision(c)
}

// sub finds a sub-command.
func (c *command) sub(name string) *command {
	if s := c.subs[name]; s != nil {
		return s
	}
	return c.anySub
}

// option finds an option here or in the commands around.
func (c *command) option(name string) *option {
	for n := c; n != nil; n = n.parent {
		if o := n.options[name]; o != nil {
			return o
		}
	}
	return nil
}

// longOption finds a long option, also abbreviated.
func (c *command) longOption(name string) *option {
	if o := c.option(name); o != nil {
		return o
	}
	if len(name) < 4 {
		return nil
	}
	var found *option
	for n := c; n != nil; n = n.parent {
		for full, o := range n.options {
			if len(full) > len(name) && full[:len(name)] == name && full[1] == '-' && riskier(o, found) {
				found = o
			}
		}
	}
	return found
}

// riskier orders the candidates of an ambiguous abbreviation; ties go to the name that sorts first, so that the answer is stable.
func riskier(o, than *option) bool {
	if than == nil {
		return true
	}
	if a, b := o.risk(), than.risk(); a != b {
		return a > b
	}
	return o.name < than.name
}

func (o *option) risk() int {
	r := 2 * o.raise.rank()
	if o.lower {
		r = 0
	}
	if o.takes {
		r++
	}
	if o.role == roleWrite || o.role == roleDestroy || o.role == roleScript {
		r += 2 * Modify.rank()
	}
	return r
}
