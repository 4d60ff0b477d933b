package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ReadEntry reads a regular file of an open folder into the buffer, or a larger one if needed, and
// returns the file's size. A file of more than most bytes is not read.
//
// A search opens every file of a tree, so this function does not use os.Root: a name of one component,
// opened below a folder that the root has opened, without following links, cannot lead outside either,
// and it costs four system calls instead of seven.
func ReadEntry(dir *os.File, name string, most int64, buffer []byte) (data []byte, size int64, err error) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, 0, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, 0, unix.EINVAL
	}
	if st.Size > most {
		return nil, st.Size, nil
	}
	if int64(cap(buffer)) < st.Size {
		buffer = make([]byte, st.Size+st.Size/4)
	}
	buffer = buffer[:st.Size]
	n := 0
	for n < len(buffer) {
		got, err := unix.Read(fd, buffer[n:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if got <= 0 {
			break // the file has shrunk
		}
		n += got
	}
	return buffer[:n], st.Size, nil
}
