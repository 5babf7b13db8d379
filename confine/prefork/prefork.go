// Package prefork, when linked into a program, makes every start of that
// program start the launcher before the Go runtime starts, so that both get
// ready at the same time. It is for the confine command, whose every start is
// a run; a program that only sometimes runs a command does better without.
// Programs import it for its effect only.
package prefork

import "C"
