/** The messages of ZMTP 3, publish-subscribe. */
package zeps.wire.zmtp;
