//go:build !linux

package postgrestest

// memoryDir returns "": the databases are put in the folder for temporary files.
func memoryDir() string { return "" }
