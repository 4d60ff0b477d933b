// Package siblings looks for the same defect elsewhere: it searches the tree for the pattern that
// a report gives of the faulty shape, and settles what the report says of each place found.
//
// A verdict counts where the place was read in the session. What nobody judged is named as not
// looked at, and never as sound. It permits nothing: a place is in the fix only where the
// report says so among what will change.
package siblings
