// Package bubblewrap is the kind of sandbox that leaves the building to bwrap. The limits of
// single processes are set by a shell script in front of the command. As root, bwrap is
// started as the commands' user; where that user cannot enter the directories above what
// has to be shown, this program executes itself once in between and brings it near.
package bubblewrap
