/** The machine of ZEPS client session. */
package zeps.wire.zepsclient;
