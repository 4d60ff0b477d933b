// Package siblings looks for the same defect in other places. It searches the tree for the pattern of
// the faulty shape that a report gives, and checks the report's verdict on each place found.
//
// A verdict counts only if the place was read in the session. A place without a verdict is reported as
// not looked at, and never as sound. The package permits nothing: a place is part of the fix only if
// the report names it among what will change.
package siblings
