package diskwatch

// Limits are the maximum that a command may write.
type Limits struct {
	Bytes int64
	Files int64 // files and folders
}
