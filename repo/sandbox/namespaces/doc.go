// Package namespaces is the kind of sandbox that needs nothing but the kernel: this program
// executes itself as the first process of new user, mount, process, network, ipc and host
// name spaces, builds the file system there and confines itself.
package namespaces
