// Package bubblewrap implements the kind of sandbox that bwrap builds. A shell script runs before the
// command: it sets the limits of single processes and waits until the first process is confined. If this
// program runs as root, bwrap is started as the commands' user. If that user cannot enter the directories
// above the paths to mount, this program first executes itself once to mount them where that user can.
package bubblewrap
