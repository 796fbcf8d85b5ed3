/// Codes that stand for the same language or country, as devices of different ages and makers send them.
///
/// Source: CLDR 49, `supplementalMetadata.xml`, `languageAlias` and `territoryAlias` where one code replaces another: what ISO
/// gave up (`iw` is `he`, `BU` is `MM`), longer codes of the same language (`deu` is `de`), and what is asked for under a wider
/// name (`cmn` is `zh`). Written out because a device's own list depends on its system.
enum CodeAliases {
    /// All codes of one language or country, by each of them.
    struct Table: Sendable {
        private var spellings: [String: [String]] = [:]

        /// - Parameter text: `code:other,other code:other`; the first is the one that holds today.
        fileprivate init(_ text: String) {
            for entry in text.split(separator: " ") {
                let parts = entry.split(separator: ":")
                let codes = [String(parts[0])] + parts[1].split(separator: ",").map(String.init)
                for code in codes { spellings[code] = codes }
            }
        }

        /// The codes of what a code stands for, the one that holds today first.
        func spellings(of code: String) -> [String] { spellings[code] ?? [code] }
    }

    /// ISO 639 codes in small letters.
    static let languages = Table(
        """
        aa:aar aas:aam ab:abk acn:xia adx:pcr ae:ave aeb:ajt af:afr ak:aka,tw,twi am:amh ami:ais amq:elp an:arg \
        aog:myd aou:gio apc:ajp apf:agp aqd:dkl aqt:sap ar:ara,arb as:asm av:ava ay:aym,ayr az:aze,azj azd:nln \
        ba:bak bal:bcc bcg:bgm be:bel beb:btb bfy:ppa bg:bul bho:bh,bih bi:bis bik:bcl bir:bic bjp:tgg bm:bam \
        bmf:krm bn:ben bnc:lbk bo:bod,tib bpp:nxu br:bre bs:bos bua:bxr bzc:bjq ca:cat cax:xba cbr:nom ce:che \
        ch:cha chm:mhr cir:meg cmr:cka co:cos cr:cre,cwd crr:pmk cs:ces,cze cu:chu cv:chv cy:cym,wel da:dan \
        dbt:dwl de:deu,ger del:umu den:xsl dev:gav dgl:kzh dif:dit din:dik dmw:mwd,xrq dnj:daf doi:dgo drl:bjd \
        dtd:noo dtp:ktr,kzj,kzt,tdu duz:guv dv:div dwu:duj dz:adp,dzo dze:djl ebk:bkb ee:ewe eko:nte el:ell,gre \
        ema:uok emx:rmr en:eng enl:leg enm:yol eo:epo es:spa esg:ggo et:ekk,est eu:baq,eus eza:izi \
        fa:drw,fas,per,pes,prs,tnf fbl:bhk ff:fuc,ful fi:fin fil:tgl,tl fj:fij fo:fao fr:fra,fre fy:fry ga:gle \
        gal:ilw gba:gya gd:gla gdj:kvs gl:glg gll:nbx gn:grn,gug gon:gno grb:gbo gtu:ggr gu:guj,prp gv:glv \
        gvr:ggn ha:hau hai:hdn he:heb,iw hi:hin hle:sca hmn:hea ho:hmo hr:hrv,scr ht:hat hu:hun huw:pmc \
        hy:arm,hye hz:her ia:ina iba:blg,snb id:in,ind ie:ile ig:ibo ii:iii ik:esk,ipk ilm:ill io:ido is:ice,isl \
        isk:sgl it:ita itd:tid iu:ike,iku ja:jpn jal:hrr jbk:mgx jgk:jar jkm:kpp jrb:aju jv:jav,jw ka:geo,kat \
        kak:tne kdz:ncp kg:kng,kon ki:kik kj:kua kjh:zkb kk:kaz kl:kal kln:spy km:khm kmb:smd kml:kgh kn:kan \
        ko:kor kok:gom kpe:xpe kr:kau,knc kru:kxl ks:kas ksp:lak ktz:aue ku:kmr,kur kv:kom,kpv kw:cor kwv:koj \
        kxr:pat ky:kir kzk:drr,gli la:lat lah:pnb lb:ltz lcq:ppr lg:lug li:lim ln:lin lo:lao lrr:yma lt:lit \
        lu:lub luy:bxk lv:lav,lvs man:emk mg:mlg,plt mgp:mrd mh:mah mi:mao,mri mk:mac,mkd ml:mal mn:drh,khk,mon \
        mom:cjr mr:mar mrh:shl mry:mst,myt ms:may,msa,zsm mt:mlt mtm:ymt mwr:dhd my:bur,mya na:nau nb:nob \
        nbr:nns ncq:kgd nd:nde ne:nep,npi ng:ndo ngt:llo ngv:nnx njz:dap nl:dut,nld nn:nno no:nor nol:wit nr:nbl \
        nrk:nlr nru:nbf nun:ayx nv:nav nvo:baz nwo:wiw ny:nya nyc:gti oc:oci oj:ojg,oji ola:thw om:gaz,orm \
        opa:ibi or:ori,ory os:oss oyb:jeg,skk,thx pa:pan phr:pmu pi:pli pij:coy,nts pl:pol plu:kgm prt:pry \
        ps:pbu,pus pt:por pub:puz qu:que,quz quh:cqu raj:mup raq:lii ras:tie rki:ccq,ybd rm:roh rmx:lmm rn:run \
        ro:mo,mol,ron,rum rom:rmy ru:rus rw:kin sa:cls,san sc:src,srd scv:zir sd:snd se:sme sg:sag sgd:sul \
        si:sin sk:slk,slo sl:slv sm:smo sn:sna snz:asd so:som sq:alb,als,sqi sqm:dek sr:cnr,hbs,scc,sh,srp \
        srx:him ss:ssw st:sot su:sun suj:xsj sv:swe sw:swa,swc,swh syr:cld ta:tam taj:tsf tdf:kgc tdg:tmk te:tel \
        tg:tgk th:tha ti:tir tk:tuk tmh:ttq tn:tsn to:ton tpn:tpw tpo:thc tr:tur ts:tso tt:tat tvd:kxe twm:tkk \
        ty:tah tyj:tmp ug:uig uk:ukr ulw:sum umi:szd ur:urd uth:dud uz:uzb,uzn vaj:gfx,mwj,oun ve:ven vi:vie \
        vo:vol wa:wln waw:xkh weo:tlw wgb:wgw wnn:mnt wny:gbc wo:wol wro:unp xch:cmk xh:xho xnt:mof xny:nad \
        yam:kwq yi:ji,ydd,yid ynq:yen yo:yor yrm:yiy yug:yuu za:zha,zyb zap:zai zh:chi,cmn,zho zkd:kdv zko:xss \
        zom:yos zu:zul zza:diq
        """)

    /// ISO 3166-1 codes of two letters, in capitals.
    static let countries = Table(
        """
        AQ:NQ BF:HV BJ:DY CD:ZR DE:DD EU:QU FR:FX GB:UK KI:CT MM:BU PA:PZ TL:TP UM:JT,MI,PU,WK VN:VD VU:NH YE:YD \
        ZW:RH
        """)
}
