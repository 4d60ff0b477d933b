// Package namespaces implements the kind of sandbox that needs only the kernel: this program executes itself
// as the first process of new user, mount, process, network, ipc, host and control group name spaces, builds
// the file system there and confines itself.
package namespaces
