// Package manager describes package managers: the files that identify each one, the program that it needs,
// and the command line that fetches the packages that those files name.
//
// A command line starts in the folder of the files and sees only manifests. It writes the packages below
// $PACKAGES and temporary files below $TMPDIR. It installs packages without running their code, if the tool
// supports that.
package manager
