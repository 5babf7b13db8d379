package main

// Every start of this program that matters is a run, so its launcher is forked
// before the Go runtime starts.
import _ "confine/confine/prefork"
