// Package confinetest helps tests to find out what a confined command can
// really do.
//
// A test names acts: Go functions that do one thing to the system. The test
// binary runs an act by executing itself, confined or not, so the same code is
// tried on both sides and a denial always has a positive control. Main also
// repeats the whole suite as an ordinary user when it was started as root.
//
// It is for this module's tests only and gives no compatibility promise.
package confinetest
