// Package classify reads commands before they run and outcomes after they ran.
//
// # Commands
//
// [Exec] takes an argument vector and [Command] a line of shell. Both answer with a [Verdict]: what the command appears to do (a
// [Capability]), what a harness should do about it (a [Decision]), why, and the parts it was read as:
//
//	v := classify.Exec([]string{"bash", "-c", "echo hi && rm -rf /etc"})
//	// v.Capability == classify.Critical, v.Decision == classify.Deny, v.Program == "rm"
//	// v.Text[v.Parts[v.Deciding].Start:v.Parts[v.Deciding].End] == "rm -rf /etc"
//
// Scripts are read by a shell grammar. Programs that run other programs (sh -c, env, timeout, xargs, find -exec, sudo, ssh, …) are seen
// through. The riskiest part decides: decisions are compared first, then capabilities. What is not recognised, and what is only known when
// it runs (substitutions, eval, a variable as the program, code of other languages, script files), is [Unknown] and never allowed.
//
// What is known of programs, options, paths and variables is the data file commands.txt; [Table.Extend] adds to it.
//
// A verdict is a guess about text. It enforces nothing, and it does not protect against a program that is not what its name says, a script
// or alias that exists on the host, a configuration file that names commands, or a variable of the environment it runs in. A command
// that was allowed still has to run confined.
//
// # Outcomes
//
// [Outcome] tells a run that the sandbox blocked from one that failed by itself and from one that never started. Text is believed only in
// the words ([Dialect]) of the backend that was in force. [AnnotateStderr] and [Violation] put the answer into words.
//
// The package is pure: no system calls, clock, environment or network, and no state but tables that never change.
package classify
