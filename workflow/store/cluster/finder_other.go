//go:build !unix

package cluster

type finder struct{}
