// Package disk removes folders however they are nested or closed, measures what files take,
// and opens plain files alone. It follows no symbolic link.
package disk
