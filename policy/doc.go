// Package policy decides what a confined command may reach.
//
// A policy has a trusted half, Defaults, written by the deployment, and an
// untrusted one, Request, which may come from a model and can only narrow. An
// Approval, minted by the host, widens one call. Resolve turns the three into an
// immutable Policy, and GrantLayers gives its meaning: an ordered stack of
// layers in which the deepest layer that contains a path decides the access.
// Everything that enforces, checks or explains reads that one stack.
//
// The package is pure. It makes no system calls, reads no clock, environment or
// network and keeps no state; what it needs to know of the machine comes in as a
// Host and an FS. It enforces nothing by itself: it says what is to be enforced.
//
// Paths are compared lexically and by whole segments, after links were followed
// once, when the policy was resolved. A path that changes on the host afterwards
// is the enforcer's business.
package policy
