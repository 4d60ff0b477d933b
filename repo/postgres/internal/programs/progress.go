package programs

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const barWidth = 30

// showProgress shows how the content of dir grows towards size bytes: as a bar, or without bar as one line
// at the beginning and one at the end. The caller calls stop to end it.
func showProgress(w io.Writer, bar bool, what, dir string, size int64) (stop func(ok bool)) {
	began := time.Now()
	if !bar {
		fmt.Fprintf(w, "%s…\n", what)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for bar {
			fmt.Fprint(w, "\r"+drawBar(what, folderSize(dir), size))
			select {
			case <-quit:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func(ok bool) {
		close(quit)
		<-done
		took := time.Since(began).Round(100 * time.Millisecond)
		switch {
		case bar && ok:
			fmt.Fprintf(w, "\r%s, %s\n", drawBar(what, size, size), took)
		case bar:
			fmt.Fprintln(w)
		case ok:
			fmt.Fprintf(w, "%s: done in %s\n", what, took)
		}
	}
}

// drawBar returns the bar as text; if the size is unknown, a count of megabytes.
func drawBar(what string, have, size int64) string {
	if size <= 0 {
		return fmt.Sprintf("%s %.1f MB", what, float64(have)/1e6)
	}
	have = min(have, size)
	full := int(have * barWidth / size)
	return fmt.Sprintf("%s [%s%s] %3d %%, %.1f of %.1f MB", what, strings.Repeat("#", full), strings.Repeat(".", barWidth-full),
		have*100/size, float64(have)/1e6, float64(size)/1e6)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}

// folderSize returns the total size of the files in dir, in bytes. Files may appear and disappear while it
// runs.
func folderSize(dir string) int64 {
	var n int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if fi, err := d.Info(); err == nil {
			n += fi.Size()
		}
		return nil
	})
	return n
}
