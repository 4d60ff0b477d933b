// Package delivery brings approved work to its branch. Finish confines the change to its folder and its
// scope, searches it for secrets, proves it, refuses hunks that no test needs and that have no reason,
// has the critic review it, and then commits and pushes it. The intent to push is recorded before the
// push.
package delivery
