// Package wanted reads which tools, and which versions of them, the files of a repository want: version files
// such as .nvmrc, manifests, devcontainer.json with its Dockerfile, and the names of images. It runs nothing,
// and what it cannot read it leaves out.
package wanted
