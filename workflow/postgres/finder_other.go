//go:build !unix

package postgres

type finder struct{}
