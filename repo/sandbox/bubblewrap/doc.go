// Package bubblewrap is the kind of sandbox that bwrap builds. A shell script in front of the
// command sets the limits of single processes and waits for the first process's own walls. As root, bwrap is started as the commands' user;
// if that user cannot enter the directories above what has to be shown, this program first
// executes itself once to bring them near.
package bubblewrap
