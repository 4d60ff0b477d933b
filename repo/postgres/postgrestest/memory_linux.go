package postgrestest

import "syscall"

// roomInMemory is the most that the databases of one package need, in bytes, with some to spare.
const roomInMemory = 2 << 30

// memoryDir returns a folder in memory, or "" if there is none with enough room. A database consists of
// about three hundred files: on a disk the kernel takes longer to create and remove them than Postgres
// takes for the work of a test.
func memoryDir() string {
	const shared = "/dev/shm"
	var fs syscall.Statfs_t
	if syscall.Statfs(shared, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < roomInMemory {
		return ""
	}
	return shared
}
