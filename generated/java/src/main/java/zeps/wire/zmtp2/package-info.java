/** The messages of ZMTP 2.0. */
package zeps.wire.zmtp2;
