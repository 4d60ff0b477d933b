package backend

import (
	"os"
	"path/filepath"
)

// Home is the home folder of commands.
const Home = "/home/box"

// homeFiles are the files that a new home has, by their paths in it. Commands may change and remove them.
//
// Without the first, each go command would start another process: once a day for each home, Go sums up how
// its tools were used, and each command has a new home. No variable turns this off; GOTELEMETRY only tells
// the mode (https://go.dev/doc/telemetry#config).
var homeFiles = []File{
	{Inside: ".config/go/telemetry/mode", Mode: 0o644, Data: []byte("off\n")},
}

// HomeFiles returns the files of a new home at Home.
func HomeFiles() (files []File) {
	for _, f := range homeFiles {
		f.Inside = filepath.Join(Home, f.Inside)
		files = append(files, f)
	}
	return files
}

// WriteHomeFiles writes the files of a new home into the folder home.
func WriteHomeFiles(home string) error {
	for _, f := range homeFiles {
		name := filepath.Join(home, f.Inside)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, os.FileMode(f.Mode)); err != nil {
			return err
		}
	}
	return nil
}
