package postgrestest

import "syscall"

// roomInMemory is what a package's databases need at most, with some to spare.
const roomInMemory = 2 << 30

// memoryDir is a folder in memory, or empty where there is none with enough room. A database
// is some three hundred files: on a disk the kernel takes longer to make and remove them
// than Postgres takes for what a test does with them.
func memoryDir() string {
	const shared = "/dev/shm"
	var fs syscall.Statfs_t
	if syscall.Statfs(shared, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < roomInMemory {
		return ""
	}
	return shared
}
