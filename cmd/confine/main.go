// Command confine runs a command confined and says truthfully what became of it.
// See the README, or "confine --help".
package main

import "os"

func main() { os.Exit(execute(os.Args[1:])) }
