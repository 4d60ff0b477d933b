//go:build !linux

package postgrestest

// memoryDir is empty: the databases are in the folder for temporary files.
func memoryDir() string { return "" }
