package diskwatch

// Limits are the most that a command may write.
type Limits struct {
	Bytes int64
	Files int64 // and folders
}
