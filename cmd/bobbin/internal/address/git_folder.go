package address

import (
	"os"
	"path/filepath"
)

// GitFolder returns the top folder of the git repository that an absolute folder is in; false if it is in
// none.
func GitFolder(folder string) (top string, found bool) {
	for top = folder; ; top = filepath.Dir(top) {
		has := func(name string) bool { _, err := os.Stat(filepath.Join(top, name)); return err == nil }
		if has(".git") || has("HEAD") && has("objects") { // a bare one
			return top, true
		}
		if top == filepath.Dir(top) {
			return "", false
		}
	}
}
