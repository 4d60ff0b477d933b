// Package model speaks with language models.
package model
