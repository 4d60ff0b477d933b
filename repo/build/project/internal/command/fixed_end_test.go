package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFixedEnd(t *testing.T) {
	for line, end := range map[string]string{
		"go test ./...":                      "",
		"cd shop && go test ./...":           "",
		"go test ./...; echo done":           "echo done",
		"go test ./... || true":              "true",
		"go test ./... | tail -5":            "tail -5",
		"go test ./... 2>&1 |& head":         "head",
		"go test ./... | grep FAIL":          "",
		"go test ./... && echo ok":           "",
		"(go test ./...; exit 0)":            "",
		"echo 'a | true'":                    "",
		"go test ./...; if true; then :; fi": "",
		"go test 'unclosed":                  "",
		"":                                   "",
	} {
		assert.Equal(t, end, FixedEnd(line), line)
	}
}
