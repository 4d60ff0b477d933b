//go:build !unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// hold opens the data directory's lock; on this system nothing keeps a second process out.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return f, nil
}
