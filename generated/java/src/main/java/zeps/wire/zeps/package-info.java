/** The messages of ZeroMQ Enterprise Publish-Subscribe. */
package zeps.wire.zeps;
