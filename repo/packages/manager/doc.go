// Package manager knows package managers: by which files each is found, which program it
// needs, and the command line that fetches what those files name.
//
// A command line starts in the folder of the files, sees manifests and nothing else, has
// $PACKAGES to leave packages in and $TMPDIR for what is thrown away, and installs without
// running what the packages bring, where the tool can do that.
package manager
